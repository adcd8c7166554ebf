"""What pictures and tables are made of: layout, colours, SVG, HTML. Knows no graphs."""
