/** Tests that templates escape their parts. */
import { describe, expect, it } from 'vitest'
import { escapeHtml, html, raw } from './html.ts'

describe('HTML templates', () => {
  it('escape text', () => {
    expect(html`<p title="${'"><script>'}">${"</p>'&"}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;script&gt;">&lt;/p&gt;&#39;&amp;</p>',
    )
  })

  it('join lists, keep templates, and omit undefined and false', () => {
    expect(html`${[1, html`<b>${'<'}</b>`, [raw('<i>')]]}${undefined}${false}${0}`.text).toBe(
      '1<b>&lt;</b><i>0',
    )
  })

  it('show invisible characters, and keep tabs and line breaks', () => {
    expect(escapeHtml('a\u202eb\u2028c\u0000d\u200be\n\tf')).toBe('a\\u202eb\\u2028c\\u0000d\\u200be\n\tf')
    expect(escapeHtml('a\u00ad\u3164\u034f\u200d\u2800\ufe0f\u{e0041}\u{e0101}')).toBe(
      'a\\u00ad\\u3164\\u034f\\u200d\\u2800\\ufe0f\\u{e0041}\\u{e0101}',
    )
    expect(escapeHtml('✔️ é 漢字 🎉')).toBe('✔️ é 漢字 🎉')
  })
})
