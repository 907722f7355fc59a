/** Which of two API versions clients should prefer, by their names alone. */

const VERSION = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/
const STABILITIES = ['alpha', 'beta', undefined]

/** Above zero where `a` is to be preferred: v2 to v1 to v1beta2 to v1beta1 to v1alpha1 to whatever is not so named. */
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
