#pragma once

// Implementation of GANTRY_DESCRIBE. Not part of the public interface.

// Applies macro(context, x) to up to 250 arguments, by rescanning instead of counting.
#define GANTRY_DETAIL_PARENS ()
#define GANTRY_DETAIL_RESCAN(...) GANTRY_DETAIL_RESCAN4(GANTRY_DETAIL_RESCAN4(GANTRY_DETAIL_RESCAN4(__VA_ARGS__)))
#define GANTRY_DETAIL_RESCAN4(...) GANTRY_DETAIL_RESCAN3(GANTRY_DETAIL_RESCAN3(GANTRY_DETAIL_RESCAN3(__VA_ARGS__)))
#define GANTRY_DETAIL_RESCAN3(...) GANTRY_DETAIL_RESCAN2(GANTRY_DETAIL_RESCAN2(GANTRY_DETAIL_RESCAN2(__VA_ARGS__)))
#define GANTRY_DETAIL_RESCAN2(...) GANTRY_DETAIL_RESCAN1(GANTRY_DETAIL_RESCAN1(GANTRY_DETAIL_RESCAN1(__VA_ARGS__)))
#define GANTRY_DETAIL_RESCAN1(...) GANTRY_DETAIL_RESCAN0(GANTRY_DETAIL_RESCAN0(GANTRY_DETAIL_RESCAN0(__VA_ARGS__)))
#define GANTRY_DETAIL_RESCAN0(...) __VA_ARGS__
#define GANTRY_DETAIL_FOR_EACH(macro, context, ...) \
    __VA_OPT__(GANTRY_DETAIL_RESCAN(GANTRY_DETAIL_STEP(macro, context, __VA_ARGS__)))
#define GANTRY_DETAIL_STEP(macro, context, x, ...) \
    macro(context, x) __VA_OPT__(GANTRY_DETAIL_AGAIN GANTRY_DETAIL_PARENS(macro, context, __VA_ARGS__))
#define GANTRY_DETAIL_AGAIN() GANTRY_DETAIL_STEP

// 1 for "(…)", 0 for a plain word.
#define GANTRY_DETAIL_IS_TUPLE(x) GANTRY_DETAIL_SECOND(GANTRY_DETAIL_PROBE x, 0, ~)
#define GANTRY_DETAIL_PROBE(...) ~, 1
#define GANTRY_DETAIL_SECOND(...) GANTRY_DETAIL_SECOND_OF(__VA_ARGS__)
#define GANTRY_DETAIL_SECOND_OF(a, b, ...) b
#define GANTRY_DETAIL_JOIN(a, b) GANTRY_DETAIL_JOIN_NOW(a, b)
#define GANTRY_DETAIL_JOIN_NOW(a, b) a##b
#define GANTRY_DETAIL_CALL(macro, arguments) macro arguments
#define GANTRY_DETAIL_WITH(Type, ...) (Type, __VA_ARGS__)
#define GANTRY_DETAIL_LIST(...) __VA_ARGS__

// "name", "(name)" or "(name, text)" -> ", describe::field(…)"
#define GANTRY_DETAIL_FIELD(Type, x) GANTRY_DETAIL_JOIN(GANTRY_DETAIL_FIELD_, GANTRY_DETAIL_IS_TUPLE(x))(Type, x)
#define GANTRY_DETAIL_FIELD_0(Type, name) GANTRY_DETAIL_FIELD_MAKE(Type, name)
#define GANTRY_DETAIL_FIELD_1(Type, tuple) \
    GANTRY_DETAIL_CALL(GANTRY_DETAIL_FIELD_MAKE, GANTRY_DETAIL_WITH(Type, GANTRY_DETAIL_LIST tuple))
#define GANTRY_DETAIL_FIELD_MAKE(Type, name, ...) \
    , ::gantry::describe::field<Type>(#name, &Type::name __VA_OPT__(, ) __VA_ARGS__)

#define GANTRY_DETAIL_ENUMERATOR(Type, x) \
    GANTRY_DETAIL_JOIN(GANTRY_DETAIL_ENUMERATOR_, GANTRY_DETAIL_IS_TUPLE(x))(Type, x)
#define GANTRY_DETAIL_ENUMERATOR_0(Type, name) GANTRY_DETAIL_ENUMERATOR_MAKE(Type, name)
#define GANTRY_DETAIL_ENUMERATOR_1(Type, tuple) \
    GANTRY_DETAIL_CALL(GANTRY_DETAIL_ENUMERATOR_MAKE, GANTRY_DETAIL_WITH(Type, GANTRY_DETAIL_LIST tuple))
#define GANTRY_DETAIL_ENUMERATOR_MAKE(Type, name, ...) \
    , ::gantry::describe::Enumerator<Type>(Type::name, ::gantry::describe::first_of(__VA_ARGS__ __VA_OPT__(, ) #name))
