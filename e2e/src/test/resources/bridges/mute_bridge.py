"""A bridge that listens but never sends ready."""
import os
import socket
import sys

listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listener.bind(os.environ["ASH_BRIDGE_SOCKET"])
listener.listen(1)
print("the licence server does not answer", file=sys.stderr, flush=True)
connection, _ = listener.accept()
connection.recv(1)
