import socketserver

bind = socketserver.TCPServer.server_bind


def server_bind(self):
    host, port = self.server_address
    self.server_address = (host, port + 1000)
    bind(self)


socketserver.TCPServer.server_bind = server_bind
