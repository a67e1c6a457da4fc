"use strict";
// Values of the curves where the pointer or the arrow keys are, and keys that hide a curve wherever
// it is drawn. The page is complete without this.
(() => {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("role", "status");
  tip.hidden = true;
  document.body.append(tip);
  const hidden = new Set();
  const charts = [...document.querySelectorAll("svg.chart")];

  const toggle = (name) => {
    if (!hidden.delete(name)) hidden.add(name);
    for (const part of document.querySelectorAll("svg.chart [data-name]")) {
      if (part.dataset.name !== name) continue;
      part.classList.toggle("off", hidden.has(name));
      if (part.matches(".key")) part.setAttribute("aria-pressed", String(!hidden.has(name)));
    }
  };

  const leave = (cursor) => {
    tip.hidden = true;
    cursor.setAttribute("visibility", "hidden");
  };

  for (const svg of charts) {
    const [left, top, right, bottom] = JSON.parse(svg.dataset.frame);
    const series = [...svg.querySelectorAll(".series")].map((part) => ({
      name: part.dataset.name,
      steps: part.dataset.steps === "1",
      points: JSON.parse(part.dataset.points),
    }));
    const places = [...new Set(series.flatMap((s) => s.points.filter((p) => p[2] !== "").map((p) => p[0])))];
    places.sort((a, b) => a - b);
    if (!places.length) continue;
    const cursor = document.createElementNS(svg.namespaceURI, "path");
    cursor.setAttribute("class", "cursor");
    cursor.setAttribute("visibility", "hidden");
    svg.querySelector(".plot").append(cursor);
    let at = -1;

    const nearest = (points, x, steps) => {
      if (steps) return points.findLast((p) => p[0] <= x + 0.05) || null;
      const best = points.reduce((a, b) => (Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a));
      return best[2] === "" || Math.abs(best[0] - x) < 6 ? best : null;
    };

    const show = (x) => {
      at = places.reduce((best, p, n) => (Math.abs(p - x) < Math.abs(places[best] - x) ? n : best), 0);
      const place = places[at];
      const named = series.flatMap((s) => s.points).find((p) => p[0] === place && p[2] !== "");
      const rows = [];
      for (const s of series) {
        if (hidden.has(s.name)) continue;
        const point = nearest(s.points, place, s.steps);
        if (point) rows.push([s.name, point[3]]);
      }
      const list = document.createElement("dl");
      for (const [name, value] of rows) {
        const row = document.createElement("div");
        row.append(document.createElement("dt"), document.createElement("dd"));
        row.firstChild.textContent = name;
        row.lastChild.textContent = value;
        list.append(row);
      }
      const title = document.createElement("strong");
      title.textContent = `${svg.dataset.x}: ${named[2]}`;
      tip.replaceChildren(title, list);
      tip.hidden = false;
      cursor.setAttribute("d", `M${place} ${top}V${bottom}`);
      cursor.setAttribute("visibility", "visible");
      const box = svg.getBoundingClientRect();
      const unit = box.width / svg.viewBox.baseVal.width;
      const middle = box.left + place * unit;
      const room = document.documentElement.clientWidth - tip.offsetWidth - 4;
      const below = box.top + (bottom + 20) * unit;
      const above = box.top - tip.offsetHeight - 4;
      const full = below + tip.offsetHeight > window.innerHeight && above > 0;
      tip.style.left = `${Math.max(4, Math.min(middle - tip.offsetWidth / 2, room)) + window.scrollX}px`;
      tip.style.top = `${(full ? above : below) + window.scrollY}px`;
    };

    const move = (event) => {
      const box = svg.getBoundingClientRect();
      const unit = box.width / svg.viewBox.baseVal.width;
      const [x, y] = [(event.clientX - box.left) / unit, (event.clientY - box.top) / unit];
      if (x >= left - 6 && x <= right + 6 && y >= top - 6 && y <= bottom + 6) show(x);
      else leave(cursor);
    };
    svg.addEventListener("pointermove", move);
    svg.addEventListener("pointerdown", move);
    svg.addEventListener("pointerleave", () => leave(cursor));
    svg.addEventListener("blur", () => leave(cursor));
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", (event) => {
      if (event.target !== svg) return;
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step) {
        const next = at < 0 ? places.length - 1 : Math.min(Math.max(at + step, 0), places.length - 1);
        show(places[next]);
        event.preventDefault();
      } else if (event.key === "Escape") leave(cursor);
    });
    for (const key of svg.querySelectorAll(".key")) {
      key.setAttribute("role", "button");
      key.setAttribute("tabindex", "0");
      key.setAttribute("aria-pressed", "true");
      key.setAttribute("aria-label", `show ${key.dataset.name}`);
      key.addEventListener("click", () => toggle(key.dataset.name));
      key.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        toggle(key.dataset.name);
      });
    }
  }
})();
