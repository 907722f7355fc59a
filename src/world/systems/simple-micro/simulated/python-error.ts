/** Errors of the network with the messages of Python. */
const MESSAGES: Readonly<Record<string, string>> = {
  EADDRINUSE: '[Errno 98] Address already in use',
  EAI_AGAIN: '[Errno -3] Temporary failure in name resolution',
  ECONNREFUSED: '[Errno 111] Connection refused',
  // A server that ends closes its connections.
  ECONNRESET: 'Remote end closed connection without response',
  EHOSTUNREACH: '[Errno 113] No route to host',
  ENETUNREACH: '[Errno 101] Network is unreachable',
  ENOTFOUND: '[Errno -2] Name or service not known',
  ETIMEDOUT: 'timed out',
}

/** Returns the text of `str(error)`. */
export const toPythonMessage = (error: unknown): string => {
  const { code, message } = error as { code?: string; message?: string }
  return MESSAGES[code ?? ''] ?? message ?? String(error)
}
