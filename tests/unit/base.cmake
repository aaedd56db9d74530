# harness/base. The tests in which a number is read or printed run a second time under a locale with
# a decimal comma.
gb_unit_test(rng gb_base)
gb_unit_test(estimate gb_base)
gb_unit_test(inference gb_base)
gb_unit_test(methodology gb_record gb_base)
foreach(name error text units stats stats_fit json spec)
  gb_unit_test(${name} gb_base)
  gb_comma_locale_test(${name} RES-09)
endforeach()
