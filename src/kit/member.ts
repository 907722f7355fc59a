/** Access to members of plain records by untrusted keys such as `constructor` and `__proto__`. */

/** Returns an own member; ignores inherited ones. */
export const memberOf = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined

/** Sets a member. A plain assignment to `__proto__` would change the prototype instead. */
export const setMember = <T>(record: Record<string, T>, key: string, value: T): void => {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true })
  else record[key] = value
}
