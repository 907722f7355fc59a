import socketserver
import time

finish = socketserver.BaseServer.finish_request


def finish_request(self, request, address):
    time.sleep(0.3)
    finish(self, request, address)


socketserver.BaseServer.finish_request = finish_request
