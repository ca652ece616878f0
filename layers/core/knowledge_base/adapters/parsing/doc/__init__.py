"""Word 97–2003 documents (OLE compound files), and the XML that Word 2003 wrote."""
