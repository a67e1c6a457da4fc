"""What is done to an update before it leaves a device. One file per step."""
