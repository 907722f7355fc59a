/** Tests of reading and setting members of records. */
import { describe, expect, it } from 'vitest'
import { memberOf, setMember } from './member.ts'

describe('memberOf', () => {
  it('returns own members, and no inherited ones', () => {
    expect(memberOf({ a: 1 }, 'a')).toBe(1)
    expect(memberOf({}, 'constructor')).toBeUndefined()
    expect(memberOf({}, '__proto__')).toBeUndefined()
    expect(memberOf(JSON.parse('{"__proto__": 1}'), '__proto__')).toBe(1)
    expect(memberOf(undefined, 'a')).toBeUndefined()
  })
})

describe('setMember', () => {
  it('sets any key, as JSON.parse would', () => {
    const record: Record<string, unknown> = {}
    setMember(record, 'a', 1)
    setMember(record, '__proto__', { b: 2 })
    expect(JSON.stringify(record)).toBe('{"a":1,"__proto__":{"b":2}}')
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype)
  })
})
