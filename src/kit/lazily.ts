/** Things made when they are first asked for: a library that most runs never need costs no time at the start. */

export const lazily = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
