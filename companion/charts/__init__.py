"""Chart geometry: coordinates for templates to draw as SVG."""
