/** Creates a value on first use, so that a library that few runs need does not slow down every start. */

export const lazily = <T>(make: () => T): (() => T) => {
  let created: { value: T } | undefined
  return () => {
    created ??= { value: make() }
    return created.value
  }
}
