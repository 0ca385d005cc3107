/**
 * The texts of the pages, in each language. None of them shows a payer that a card is lost, stolen or under suspicion.
 */
import type { DeclineCode } from '../../acquirers/decline-codes.ts';

export type Language = 'en' | 'ar';

const en = {
  direction: 'ltr',
  otherLanguage: 'العربية',
  testMode: 'Test mode: no money moves.',
  testNumbers: 'Use a published test number, such as 4242 4242 4242 4242.',
  payTo: 'Pay',
  cardNumber: 'Card number',
  expiry: 'Expiry date',
  expiryForm: 'MM / YY',
  cvc: 'Security code',
  cvcWhere: 'Three digits on the back of the card, or four on its front.',
  pay: 'Pay',
  cancel: 'Cancel and go back',
  private: 'The card number goes to the acquirer of this payment and is not kept here.',
  numberWrong: 'Check the card number.',
  numberUnknown: 'This number is not accepted here. In test mode only the published test numbers are.',
  expiryWrong: 'Enter month and year, such as 04\u00a0/\u00a031.',
  expiryPast: 'This card has expired.',
  cvcWrong: 'Enter the three or four digits of the security code.',
  notMade: 'The payment was not made.',
  noAnswer: 'The payment could not be sent. Nothing was charged; try again in a moment.',
  processing: 'Your payment is being confirmed',
  processingHelp: 'This takes a few seconds, sometimes longer. Keep this page open; you are not charged twice.',
  refresh: 'Look again',
  challenge: 'Your bank asks you to confirm',
  challengeHelp: 'You are taken to your bank, and come back here afterwards.',
  toBank: 'Continue to your bank',
  elsewhere: 'You pay on the page of the payment provider',
  elsewhereHelp: 'You enter your card on the secure page of the payment provider, and come back here afterwards.',
  toAcquirer: 'Continue to payment',
  paid: 'Payment received',
  paidHelp: 'Thank you. You can close this page.',
  authorizedHelp: 'The amount is reserved on your card. You can close this page.',
  paidTo: 'Paid to',
  amount: 'Amount',
  paidWith: 'Card',
  reference: 'Reference',
  failed: 'The payment was not made',
  failedHelp: 'You were not charged. Go back to the shop to try again.',
  canceled: 'This payment was canceled',
  expired: 'This page has expired',
  overHelp: 'You were not charged here. Ask the shop for a new link.',
  toShop: 'Back to the shop',
  notFound: 'There is no such page',
  notFoundHelp: 'Check the link, or ask the shop for a new one.',
  busy: 'Too many attempts',
  busyHelp: 'Wait a minute, then try again.',
  broken: 'Something went wrong',
  brokenHelp: 'Nothing more was charged. Reload this page in a moment.',
  bank: 'Test bank',
  bankAsks: 'Confirm this payment',
  bankHelp: 'The sandbox plays the bank of the payer. Choose how the challenge ends.',
  bankPass: 'Confirm payment',
  bankFail: 'Decline',
  bankOver: 'This challenge is over',
};

export type Texts = { readonly [Name in keyof typeof en]: string };

const ar: Texts = {
  direction: 'rtl',
  otherLanguage: 'English',
  testMode: 'وضع الاختبار: لا تُنقل أي أموال.',
  testNumbers: 'استخدم أحد أرقام الاختبار المنشورة، مثل ⁦4242 4242 4242 4242⁩.',
  payTo: 'الدفع إلى',
  cardNumber: 'رقم البطاقة',
  expiry: 'تاريخ الانتهاء',
  expiryForm: 'MM / YY',
  cvc: 'رمز الأمان',
  cvcWhere: 'ثلاثة أرقام على ظهر البطاقة، أو أربعة على وجهها.',
  pay: 'ادفع',
  cancel: 'إلغاء والعودة',
  private: 'يُرسل رقم البطاقة إلى الجهة المحصِّلة لهذه الدفعة ولا يُحفظ هنا.',
  numberWrong: 'تحقّق من رقم البطاقة.',
  numberUnknown: 'هذا الرقم غير مقبول هنا. في وضع الاختبار تُقبل أرقام الاختبار المنشورة فقط.',
  expiryWrong: 'أدخل الشهر والسنة، مثل ⁦04\u00a0/\u00a031⁩.',
  expiryPast: 'انتهت صلاحية هذه البطاقة.',
  cvcWrong: 'أدخل رمز الأمان المكوّن من ثلاثة أو أربعة أرقام.',
  notMade: 'لم تتم عملية الدفع.',
  noAnswer: 'تعذّر إرسال الدفعة. لم يُخصم أي مبلغ؛ حاول مرة أخرى بعد لحظات.',
  processing: 'جارٍ تأكيد الدفع',
  processingHelp: 'يستغرق ذلك بضع ثوانٍ، وأحيانًا أكثر. أبقِ هذه الصفحة مفتوحة؛ لن يُخصم المبلغ مرتين.',
  refresh: 'تحديث',
  challenge: 'يطلب مصرفك تأكيد الدفع',
  challengeHelp: 'ستنتقل إلى صفحة مصرفك ثم تعود إلى هنا.',
  toBank: 'المتابعة إلى المصرف',
  elsewhere: 'يتم الدفع في صفحة مزوّد خدمة الدفع',
  elsewhereHelp: 'تُدخل بيانات بطاقتك في الصفحة الآمنة لمزوّد خدمة الدفع، ثم تعود إلى هنا.',
  toAcquirer: 'المتابعة إلى الدفع',
  paid: 'تم استلام الدفعة',
  paidHelp: 'شكرًا لك. يمكنك إغلاق هذه الصفحة.',
  authorizedHelp: 'تم حجز المبلغ على بطاقتك. يمكنك إغلاق هذه الصفحة.',
  paidTo: 'المستفيد',
  amount: 'المبلغ',
  paidWith: 'البطاقة',
  reference: 'المرجع',
  failed: 'لم تتم عملية الدفع',
  failedHelp: 'لم يُخصم أي مبلغ. عُد إلى المتجر للمحاولة مرة أخرى.',
  canceled: 'أُلغيت هذه الدفعة',
  expired: 'انتهت صلاحية هذه الصفحة',
  overHelp: 'لم يُخصم منك أي مبلغ هنا. اطلب من المتجر رابطًا جديدًا.',
  toShop: 'العودة إلى المتجر',
  notFound: 'هذه الصفحة غير موجودة',
  notFoundHelp: 'تحقّق من الرابط أو اطلب من المتجر رابطًا جديدًا.',
  busy: 'محاولات كثيرة',
  busyHelp: 'انتظر دقيقة ثم حاول مرة أخرى.',
  broken: 'حدث خطأ ما',
  brokenHelp: 'لم يُخصم أي مبلغ إضافي. أعد تحميل هذه الصفحة بعد لحظات.',
  bank: 'مصرف الاختبار',
  bankAsks: 'أكِّد هذه الدفعة',
  bankHelp: 'تؤدي بيئة الاختبار دور مصرف الدافع. اختر كيف تنتهي عملية التحقق.',
  bankPass: 'تأكيد الدفع',
  bankFail: 'رفض',
  bankOver: 'انتهت عملية التحقق هذه',
};

export const TEXTS: { readonly [Name in Language]: Texts } = { en, ar };

const GENERIC = {
  en: 'Your bank declined this card. Use another card, or ask your bank.',
  ar: 'رفض مصرفك هذه البطاقة. استخدم بطاقة أخرى أو راجع مصرفك.',
};

/** Of the reasons for a decline, those that a payer may know. All others read alike. */
const SHOWN: Partial<Record<DeclineCode, { readonly [Name in Language]: string }>> = {
  insufficient_funds: {
    en: 'This card has too little available for this payment. Use another card.',
    ar: 'الرصيد المتاح في هذه البطاقة لا يكفي. استخدم بطاقة أخرى.',
  },
  expired_card: {
    en: 'This card has expired. Use another card.',
    ar: 'انتهت صلاحية هذه البطاقة. استخدم بطاقة أخرى.',
  },
  incorrect_cvc: {
    en: 'The security code is wrong. Check it and try again.',
    ar: 'رمز الأمان غير صحيح. تحقّق منه وحاول مرة أخرى.',
  },
  incorrect_number: {
    en: 'The card number is wrong. Check it and try again.',
    ar: 'رقم البطاقة غير صحيح. تحقّق منه وحاول مرة أخرى.',
  },
  currency_not_supported: {
    en: 'This card does not pay in this currency. Use another card.',
    ar: 'هذه البطاقة لا تدفع بهذه العملة. استخدم بطاقة أخرى.',
  },
  authentication_failed: {
    en: 'The payment was not confirmed with your bank. Try again, or use another card.',
    ar: 'لم يتم تأكيد الدفعة لدى مصرفك. حاول مرة أخرى أو استخدم بطاقة أخرى.',
  },
  processing_error: {
    en: 'Your bank could not process the payment. Try again in a moment.',
    ar: 'تعذّر على مصرفك معالجة الدفعة. حاول مرة أخرى بعد لحظات.',
  },
  issuer_unavailable: {
    en: 'Your bank gave no answer. Try again in a moment.',
    ar: 'لم يرد مصرفك. حاول مرة أخرى بعد لحظات.',
  },
};

export function declineText(code: DeclineCode, language: Language): string {
  return (SHOWN[code] ?? GENERIC)[language];
}

/** `?lang=` counts first, then the first language of Accept-Language that there is, by its weight (RFC 9110, 12.5.4). */
export function languageOf(given: string | null, acceptLanguage: string): Language {
  if (given === 'en' || given === 'ar') return given;
  const wanted = acceptLanguage
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.trim().toLowerCase().split(';');
      const quality = parameters
        .map((text) => /^\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/.exec(text)?.[1])
        .find((text) => text !== undefined);
      return { primary: range.split('-')[0], weight: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight);
  const found = wanted.find(({ primary }) => primary === 'en' || primary === 'ar');
  return found?.primary === 'ar' ? 'ar' : 'en';
}
