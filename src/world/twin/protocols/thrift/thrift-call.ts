/** Rules for Thrift calls that do not depend on how messages are transported. */
import { CallFailure, type ServiceCall } from '#world/twin/ports'

/** The text of a failed read after the server closed the connection. */
export const CLOSED_BY_SERVER = 'No more data to read.'
export const CLOSED_BY_CLIENT = 'the client was closed'

/** The name of the method in `package.Service/Method`. */
export const toMethodName = ({ target }: ServiceCall): string => target.slice(target.lastIndexOf('/') + 1)

/** The failure of a call that the server answered with an exception. */
export const toExceptionFailure = (text: string): CallFailure =>
  new CallFailure('answer', `TApplicationException: ${text}`)
