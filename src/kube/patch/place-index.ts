/** Finds the place of a value in a growing list: of scalars at once, of the rare containers one by one. */
import { deepEqual } from '../../kit/index.ts'

export interface PlaceIndex {
  /** The first place of an equal value; -1 where there is none. */
  find(value: unknown): number
  add(value: unknown): void
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null

export const createPlaceIndex = (values: readonly unknown[]): PlaceIndex => {
  const scalars = new Map<unknown, number>()
  const containers: { value: unknown; place: number }[] = []
  let size = 0
  const add = (value: unknown): void => {
    if (isContainer(value)) containers.push({ value, place: size })
    else if (!scalars.has(value)) scalars.set(value, size)
    size += 1
  }
  for (const value of values) add(value)
  return {
    add,
    find: (value) =>
      isContainer(value)
        ? (containers.find((one) => deepEqual(one.value, value))?.place ?? -1)
        : (scalars.get(value) ?? -1),
  }
}
