"""What HTML pages share.

markup.py        elements with escaped text
plots.py axes.py curves as inline SVG
page.py          the page around a body; page.css and page.js are its style and its script
words.py         how metrics are called, written and explained
"""
