/** YAML with its parts told apart, and none of it lost. */
import { describe, expect, it } from 'vitest'
import { highlightYaml } from './highlight-yaml.ts'

/** What a reader sees of it. */
const seen = (text: string): string =>
  highlightYaml(text)
    .text.replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

describe('highlighting YAML', () => {
  it('loses and adds nothing', () => {
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
    expect(seen(text)).toBe(text)
  })

  it('tells keys, strings, plain values, templates and comments apart', () => {
    const { text } = highlightYaml('- when: "{{ a }}"\n  n: 5 # five\n  url: http://x')
    expect(text).toBe(
      '<i class="y-dash">- </i><i class="y-key">when</i>:<i class="y-string"> &quot;<i class="y-template">{{ a }}</i>&quot;</i>\n' +
        '  <i class="y-key">n</i>:<i class="y-plain"> 5</i><i class="y-comment"> # five</i>\n' +
        '  <i class="y-key">url</i>: http://x',
    )
  })

  it('leaves a huge line as it is', () => {
    const line = `a: ${'{{ '.repeat(50_000)}`
    expect(seen(line)).toBe(line.trimEnd())
  })
})
