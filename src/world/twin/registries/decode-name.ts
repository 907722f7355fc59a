/** Decodes a name in a path; returns it unchanged if its percent encoding is invalid. */
export const decodeName = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
