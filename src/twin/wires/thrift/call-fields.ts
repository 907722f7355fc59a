/** Where things are in the arguments and the result of our calls: a map in front, then the message as JSON. */

/** `map<string, string>`: what other wires have as headers. */
export const CARRIER_FIELD = 1

/** `string`: JSON. */
export const MESSAGE_FIELD = 2

/** Of a result, as Thrift has it; `string`: JSON. */
export const SUCCESS_FIELD = 0
