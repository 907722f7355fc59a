/** Finds keys that a JSON text gives twice in one object, which parsing alone would hide. */

/** Whitespace and the marks between values do not matter here: the text is known to be valid JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\],]/g

interface Level {
  /** Keys seen so far; undefined in a list. */
  readonly keys: Set<string> | undefined
  /** Path of the object or list itself. */
  readonly path: string
  /** Path of the member that is being read. */
  member: string
  index: number
}

const below = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

const open = (levels: readonly Level[], list: boolean): Level => {
  const outer = levels.at(-1)
  let path = outer?.member ?? ''
  if (outer !== undefined && outer.keys === undefined) path = `${outer.path}[${outer.index}]`
  return { keys: list ? undefined : new Set(), path, member: path, index: 0 }
}

/** Tells of every field of the text, in its order: the path, and whether its object had it already. */
export const visitFields = (jsonText: string, visit: (path: string, isRepeated: boolean) => void): void => {
  const levels: Level[] = []
  for (const [token, colon] of jsonText.matchAll(TOKEN)) {
    const level = levels.at(-1)
    if (token === '{' || token === '[') levels.push(open(levels, token === '['))
    else if (token === '}' || token === ']') levels.pop()
    else if (token === ',') {
      if (level !== undefined && level.keys === undefined) level.index++
    } else if (colon !== undefined && level?.keys !== undefined) {
      const key = JSON.parse(token.slice(0, token.length - colon.length)) as string
      level.member = below(level.path, key)
      visit(level.member, level.keys.has(key))
      level.keys.add(key)
    }
  }
}

/** Paths of the repeated fields, as `spec.containers[0].name`, in the order of the text. */
export const findDuplicateFields = (jsonText: string): string[] => {
  const duplicates = new Set<string>()
  visitFields(jsonText, (path, isRepeated) => {
    if (isRepeated) duplicates.add(path)
  })
  return [...duplicates]
}
