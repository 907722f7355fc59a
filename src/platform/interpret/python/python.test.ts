/** Tests strings, JSON and shell words as Python writes and reads them. */
import { describe, expect, it } from 'vitest'
import { pythonJson } from './python-json.ts'
import { bytesRepr, pythonRepr, pythonString } from './python-text.ts'
import { splitWords } from './split-words.ts'

describe('pythonString and pythonRepr', () => {
  it.each([
    [true, 'True'],
    [null, 'None'],
    ["it's", '"it\'s"'],
    ['a"\'b', `'a"\\'b'`],
    ['é\n\u0007\u00a0', "'é\\n\\x07\\xa0'"],
    [['a', 1, { b: false }], "['a', 1, {'b': False}]"],
  ])('%j', (value, repr) => {
    expect(pythonRepr(value)).toBe(repr)
  })

  it('writes text without quotes, and bytes with escapes', () => {
    expect(pythonString('é')).toBe('é')
    expect(bytesRepr('{"a":"it\'s é"}\n')).toBe(String.raw`b'{"a":"it\'s \xc3\xa9"}\n'`)
  })
})

describe('pythonJson', () => {
  it('writes spaces, sorted keys, indentation and escapes', () => {
    const value = { b: [1, 'é'], a: {} }
    expect(pythonJson(value)).toBe('{"b": [1, "é"], "a": {}}')
    expect(pythonJson(value, { sortKeys: true, asciiOnly: true, compact: true })).toBe(
      '{"a":{},"b":[1,"\\u00e9"]}',
    )
    expect(pythonJson(value, { indent: 4 })).toBe(
      '{\n    "b": [\n        1,\n        "é"\n    ],\n    "a": {}\n}',
    )
  })
})

describe('splitWords', () => {
  it.each([
    [`sh -c 'echo a; echo "b"' x`, ['sh', '-c', 'echo a; echo "b"', 'x']],
    [String.raw`a\ b "c\d\"" '' "e"f`, ['a b', String.raw`c\d"`, '', 'ef']],
    ['  a  # b ', ['a', '#', 'b']],
  ])('%s', (text, words) => {
    expect(splitWords(text)).toEqual(words)
  })

  it('rejects an unclosed quote', () => {
    expect(() => splitWords('a "b')).toThrow('No closing quotation')
    expect(() => splitWords('a\\')).toThrow('No escaped character')
  })
})
