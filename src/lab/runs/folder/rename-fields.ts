/** Renames fields of an object, for files of older versions. Returns other values unchanged. */
import { isPlainObject } from '#kit'

export const renameFields = (value: unknown, names: Readonly<Record<string, string>>): unknown =>
  isPlainObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, field]) => [
          Object.hasOwn(names, name) ? names[name]! : name,
          field,
        ]),
      )
    : value
