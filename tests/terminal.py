"""What a terminal gets of a command."""
import fcntl
import os
import pty
import struct
import subprocess
import termios


def shown(command, stream, columns=None, **options):
    """A command's status, and the bytes that it writes to a terminal: its standard output or error, which `stream` names.
    The terminal has so many columns, or what terminals begin with.  Options are Popen's."""
    master, slave = pty.openpty()
    if columns is not None:
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(command, **{stream: slave}, **options) as child:
        os.close(slave)
        text = b""
        try:
            while piece := os.read(master, 65536):
                text += piece
        except OSError:  # Linux reports the closed other end this way
            pass
    os.close(master)
    return child.returncode, text
