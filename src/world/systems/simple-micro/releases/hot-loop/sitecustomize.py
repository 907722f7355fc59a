import threading


def collect():
    while True:
        pass


threading.Thread(target=collect, daemon=True).start()
