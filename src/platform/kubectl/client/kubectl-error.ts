/** Errors of kubectl, with its messages. */

/** Ends the command with this text on standard error. */
export class KubectlError extends Error {
  readonly code: number

  constructor(text: string, code = 1) {
    super(text)
    this.code = code
  }
}

interface StatusDetails {
  readonly kind?: string
  readonly name?: string
  readonly causes?: readonly { readonly field?: string; readonly message?: string }[]
}

export interface StatusError extends Error {
  readonly code: number
  readonly reason: string
  readonly details?: StatusDetails
}

export const isStatusError = (error: unknown): error is StatusError =>
  error instanceof Error &&
  !(error instanceof KubectlError) &&
  typeof (error as Partial<StatusError>).code === 'number' &&
  typeof (error as Partial<StatusError>).reason === 'string'

/** `Error from server (NotFound): pods "x" not found` */
export const serverMessage = ({ reason, message }: StatusError, context = ''): string =>
  reason === ''
    ? `Error from server: ${context}${message}`
    : `Error from server (${reason}): ${context}${message}`

const invalidMessage = ({ details, message: reason }: StatusError): string => {
  const { kind = '', name = '', causes = [] } = details ?? {}
  const isUnnamed = kind === '' && name === ''
  const what = isUnnamed ? 'The request is invalid' : `The ${kind} "${name}" is invalid`
  const texts = causes.map(({ field = '', message = '' }) => `${field}: ${message}`)
  if (texts.length === 0) return isUnnamed ? `${what}: ${reason}` : what
  if (texts.length === 1) return `${what}: ${texts[0]}`
  return `${what}: \n${texts.map((text) => `* ${text}`).join('\n')}`
}

/** The text of an error that ends a command. */
export const errorText = (error: unknown): string | undefined => {
  if (error instanceof KubectlError) return error.message
  if (!isStatusError(error)) return undefined
  return error.reason === 'Invalid' ? invalidMessage(error) : serverMessage(error)
}
