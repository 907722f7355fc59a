/** Finds the position of a value in a growing list: scalars by hash, the rare containers by linear search. */
import { deepEqual } from '#kit'

export interface ValueIndex {
  /** Returns the first position of an equal value, or -1. */
  find(value: unknown): number
  add(value: unknown): void
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null

export const createValueIndex = (values: readonly unknown[]): ValueIndex => {
  const scalars = new Map<unknown, number>()
  const containers: { value: unknown; position: number }[] = []
  let size = 0
  const add = (value: unknown): void => {
    if (isContainer(value)) containers.push({ value, position: size })
    else if (!scalars.has(value)) scalars.set(value, size)
    size += 1
  }
  for (const value of values) add(value)
  return {
    add,
    find: (value) =>
      isContainer(value)
        ? (containers.find((entry) => deepEqual(entry.value, value))?.position ?? -1)
        : (scalars.get(value) ?? -1),
  }
}
