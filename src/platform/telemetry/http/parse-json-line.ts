/** Parses a line of JSON; returns an empty list if it is invalid. */

export const parseJsonLine = (line: string): any[] => {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}
