/** Creates a value on first use, so that a library that most runs never need costs no start-up time. */

export const lazily = <T>(make: () => T): (() => T) => {
  let created: { value: T } | undefined
  return () => {
    created ??= { value: make() }
    return created.value
  }
}
