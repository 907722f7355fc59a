/** Connection errors with the numbers and messages of the C library, as the original programs print them. */

const ERRORS: Readonly<Record<string, readonly [number, string]>> = {
  ECONNREFUSED: [111, 'Connection refused'],
  ECONNRESET: [104, 'Connection reset by peer'],
  EHOSTUNREACH: [113, 'No route to host'],
  ENETUNREACH: [101, 'Network is unreachable'],
  ENOTFOUND: [-2, 'Name or service not known'],
  EAI_AGAIN: [-3, 'Temporary failure in name resolution'],
  ETIMEDOUT: [110, 'Connection timed out'],
}

/** Parses a message of Node such as `connect ECONNREFUSED 127.0.0.1:3306`; undefined for other messages. */
export const readConnectError = (
  message: string,
): { readonly number: number; readonly text: string } | undefined => {
  const [number, text] = ERRORS[/\bE[A-Z_]+/.exec(message)?.[0] ?? ''] ?? []
  return number === undefined || text === undefined ? undefined : { number, text }
}
