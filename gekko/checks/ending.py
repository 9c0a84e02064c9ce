"""What passes through a checker's code without being its fault."""


class Ending(BaseException):
    """Somebody asked the program to end; it may meet any code, and no checker is to blame for it."""
