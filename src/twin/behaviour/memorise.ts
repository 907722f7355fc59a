/** Makes a thing for a name when it is first asked for: most processes never need all they could. */

export const memorise = <T>(make: (name: string) => T): ((name: string) => T) => {
  const made = new Map<string, T>()
  return (name) => {
    const known = made.get(name)
    if (known !== undefined) return known
    const one = make(name)
    made.set(name, one)
    return one
  }
}
