/** Runs every proof with small counts. */
import { checkQuickForms } from '../testing/check-quick-forms.ts'

checkQuickForms('proof', 'e2e/proofs')
