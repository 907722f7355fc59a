/** Runs every benchmark with small counts. */
import { checkQuickForms } from '../testing/check-quick-forms.ts'

checkQuickForms('bench', 'bench')
