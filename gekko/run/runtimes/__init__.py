"""Servers that outlive gko: started on demand, remembered, watched and ended."""
