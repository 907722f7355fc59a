/** Tests that YAML is highlighted and that its text stays the same. */
import { describe, expect, it } from 'vitest'
import { highlightYaml } from './highlight-yaml.ts'

/** The text without tags and entities. */
const visibleText = (text: string): string =>
  highlightYaml(text)
    .text.replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

describe('highlighting YAML', () => {
  it('does not change the text', () => {
    const text = `- hosts: localhost  # why
  vars: {a: 1, "b": [x]}
  tasks:
    - name: "it's </script> & <b>"
      when: not {{ ok }} and {% x %}
      shell: |
        echo "a: b" # c
      url: http://x:80/y#z
: odd
-
- - nested: yes
"quoted key": 'v'`
    expect(visibleText(text)).toBe(text)
  })

  it('marks keys, strings, plain values, templates and comments', () => {
    const { text } = highlightYaml('- when: "{{ a }}"\n  n: 5 # five\n  url: http://x')
    expect(text).toBe(
      '<i class="y-dash">- </i><i class="y-key">when</i>:<i class="y-string"> &quot;<i class="y-template">{{ a }}</i>&quot;</i>\n' +
        '  <i class="y-key">n</i>:<i class="y-plain"> 5</i><i class="y-comment"> # five</i>\n' +
        '  <i class="y-key">url</i>: http://x',
    )
  })

  it('does not highlight a very long line', () => {
    const line = `a: ${'{{ '.repeat(50_000)}`
    expect(visibleText(line)).toBe(line.trimEnd())
  })
})
