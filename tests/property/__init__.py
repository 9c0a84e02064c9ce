"""Laws that hold for whatever anybody writes."""
