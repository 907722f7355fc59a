/** Parses a line of JSON into a list of one value; returns an empty list if the line is invalid. */

export const parseJsonLine = (line: string): any[] => {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}
