/** The cookies of one user, as far as a load needs them: by name, for all of the system. */

export interface Cookies {
  /** What the header `set-cookie` of an answer says. */
  take(lines: readonly string[]): void
  /** The value of the header `cookie`; undefined where there are none. */
  header(): string | undefined
}

const isOver = (attributes: readonly string[], now: number): boolean =>
  attributes.some((attribute) => {
    const [name = '', value = ''] = attribute.trim().split('=', 2)
    if (name.toLowerCase() === 'max-age') return Number(value) <= 0
    return name.toLowerCase() === 'expires' && Date.parse(value) <= now
  })

export const createCookies = (now: () => number): Cookies => {
  const values = new Map<string, string>()
  return {
    take(lines) {
      for (const line of lines) {
        const [pair = '', ...attributes] = line.split(';')
        const equals = pair.indexOf('=')
        if (equals < 1) continue
        const name = pair.slice(0, equals).trim()
        if (isOver(attributes, now())) values.delete(name)
        else values.set(name, pair.slice(equals + 1).trim())
      }
    },
    header: () =>
      values.size === 0 ? undefined : Array.from(values, ([name, value]) => `${name}=${value}`).join('; '),
  }
}
