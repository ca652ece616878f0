"""Excel 2 to 2003 workbooks, and the XML that Excel 2003 wrote."""
