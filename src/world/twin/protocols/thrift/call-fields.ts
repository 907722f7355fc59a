/** The field ids of arguments and results: a map of headers, then the message as JSON. */

/** `map<string, string>`: the headers. */
export const CARRIER_FIELD = 1

/** `string`: JSON. */
export const MESSAGE_FIELD = 2

/** Field of the result, as in Thrift; `string`: JSON. */
export const SUCCESS_FIELD = 0
