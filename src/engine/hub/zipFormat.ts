/** The numbers of the zip format, for the reader and the writer (PKWARE's APPNOTE, 4.3 and 4.5.3). */

export const FILE_RECORD = 0x04034b50;
export const FILE_LENGTH = 30;
export const DIRECTORY_RECORD = 0x02014b50;
export const DIRECTORY_LENGTH = 46;
export const END_RECORD = 0x06054b50;
export const END_LENGTH = 22;
export const LOCATOR_64 = 0x07064b50;
export const LOCATOR_64_LENGTH = 20;
export const END_RECORD_64 = 0x06064b50;
export const END_LENGTH_64 = 56;
/** Id of the extra field that holds numbers of 64 bits. */
export const EXTRA_64 = 1;
/** The value of a field of 16 or 32 bits whose number is in a ZIP64 record. */
export const ELSEWHERE_16 = 0xffff;
export const ELSEWHERE_32 = 0xffffffff;
export const STORED = 0;
export const DEFLATED = 8;
/** Flags of a file. */
export const ENCRYPTED = 1;
/** The flag of a file whose sizes and check sum follow it, because its writer did not know them before. */
export const SIZES_BEHIND = 8;
export const UTF8_NAME = 0x800;
