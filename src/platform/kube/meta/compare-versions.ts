/** Orders API versions by priority, as discovery does. */

const VERSION = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/
const STABILITIES = ['alpha', 'beta', undefined]

/**
 * Returns a positive number if `a` has priority. The order is v2, v1, v1beta2, v1beta1, v1alpha1, then other
 * names alphabetically.
 */
export const compareVersions = (a: string, b: string): number => {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)]
  if (left === null || right === null) {
    if (left !== null || right !== null) return left === null ? -1 : 1
    return a === b ? 0 : a < b ? 1 : -1
  }
  const [, major, stability, minor] = left
  const [, otherMajor, otherStability, otherMinor] = right
  return (
    STABILITIES.indexOf(stability) - STABILITIES.indexOf(otherStability) ||
    Number(major) - Number(otherMajor) ||
    Number(minor ?? 0) - Number(otherMinor ?? 0)
  )
}
