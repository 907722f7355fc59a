/** Members of plain records under keys that somebody else chose: `constructor` and `__proto__` are keys, too. */

/** The record's own member; what every object inherits does not count. */
export const memberOf = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined

/** Sets a member; a plain assignment to `__proto__` would change what the record is. */
export const setMember = <T>(record: Record<string, T>, key: string, value: T): void => {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true })
  else record[key] = value
}
