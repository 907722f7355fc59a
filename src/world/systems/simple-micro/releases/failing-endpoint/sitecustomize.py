import json

encode = json.dumps


def dumps(value, **options):
    if isinstance(value, dict) and "time" in value:
        raise TypeError("Object of type str is not JSON serializable")
    return encode(value, **options)


json.dumps = dumps
