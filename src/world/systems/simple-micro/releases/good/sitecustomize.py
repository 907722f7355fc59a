import socketserver

finish = socketserver.BaseServer.finish_request


def finish_request(self, request, address):
    finish(self, request, address)


socketserver.BaseServer.finish_request = finish_request
