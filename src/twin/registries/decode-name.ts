/** A name out of a path; as it stands there where its percent signs make no sense. */
export const decodeName = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
