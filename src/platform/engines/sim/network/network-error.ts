/** Errors of connections, with the codes and messages of Node.js. */

export interface NetworkError extends Error {
  readonly code: string
}

const toError = (code: string, message: string): NetworkError => Object.assign(new Error(message), { code })

/** `code` is `ECONNREFUSED`, `ETIMEDOUT` or `ENETUNREACH`. */
export const connectError = (code: string, address: string, port: number): NetworkError =>
  toError(code, `connect ${code} ${address}:${port}`)

/** `code` is `ENOTFOUND` or `EAI_AGAIN`. */
export const lookupError = (code: string, name: string): NetworkError =>
  toError(code, `getaddrinfo ${code} ${name}`)

/** `code` is `ECONNRESET` or `ETIMEDOUT`. */
export const readError = (code: string): NetworkError => toError(code, `read ${code}`)

export const portInUseError = (port: number): NetworkError =>
  toError('EADDRINUSE', `listen EADDRINUSE: address already in use 0.0.0.0:${port}`)
